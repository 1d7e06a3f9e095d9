"""What all estimators share: parameters, fit, file, profile, model card."""
