"""The Model Context Protocol on standard input and output, for agents that speak it: what `sleepd mcp` runs.

The one door to the package `mcp`. Every tool runs in a thread, so the server goes on answering meanwhile. Standard
output belongs to the protocol: the package keeps it for itself while it serves, so that nothing printed here or by a
child process reaches it.
"""
