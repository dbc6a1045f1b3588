"""The whole program, as people and attackers meet it: real sockets, real files, the scripted
model.
"""
