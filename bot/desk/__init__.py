"""The desk: it takes what people request from any surface and answers them."""
