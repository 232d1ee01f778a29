"""Requests and answers: who asks and from where, what a request says, and which route answers it."""
