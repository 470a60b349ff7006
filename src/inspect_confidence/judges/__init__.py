"""Judges of sentences and replies: a model in the role `grader`, or rules without a model.

The rules find markers, rate their decisiveness, and compare answers, without any call.
"""
