"""The one name of the installed program, over a checkout: there its folders have names of their
own.
"""
