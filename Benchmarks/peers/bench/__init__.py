# SPDX-License-Identifier: Apache-2.0
"""What all peers have in common: data, clocks, the true answers, and the suite of measurements."""
