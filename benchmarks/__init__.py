"""What speed is measured with; each part prints ratios taken in one run, alternating."""
