// SPDX-License-Identifier: Apache-2.0

import Testing
@testable import Charts
@Suite("T-8 charts") struct ChartsTests { @Test("x") func x() { #expect(SVGCanvas.number(1.5) == "1.5") } }
