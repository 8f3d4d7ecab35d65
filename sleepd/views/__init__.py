"""What a person is shown: results as text, JSON and pages."""
