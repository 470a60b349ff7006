"""Judges of sentences and replies: a model in the role `grader`, or rules that need none.

The rules find markers, say what they are worth, and compare answers; they ask nobody.
"""
