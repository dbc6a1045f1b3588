"""What coding assistants and other programs ask for over the Model Context Protocol: six tools,
three resources and a prompt. The protocol is the official SDK's, which comes with the extra
``mcp`` and is imported when it is asked for.
"""
