"""A model as a workbook with formulas."""
