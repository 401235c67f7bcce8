# SPDX-License-Identifier: Apache-2.0
"""Real series: readers of recordings from devices and archives."""
