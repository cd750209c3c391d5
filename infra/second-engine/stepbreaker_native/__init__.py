"""Lets LocalEmu run Lambda functions as processes, and mends what it does differently from AWS."""
