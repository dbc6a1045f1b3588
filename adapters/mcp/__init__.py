"""The server for coding assistants over the Model Context Protocol: six tools, three resources and
a prompt. The protocol is the official SDK's, which comes with the extra ``mcp`` and is imported on
first use.
"""
