"""Small tables that come with the package; README.md beside them says where each is from. No code."""
