"""Words of estimative probability: words to numbers, and back."""
