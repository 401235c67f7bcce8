// SPDX-License-Identifier: Apache-2.0

// HealthViews: answers to the questions that people ask about their data, computed from a health store. Every face (the
// command line, reports, servers) draws these values and computes none of its own.

// One import is sufficient for programs that draw views.
@_exported public import KymographHealth
