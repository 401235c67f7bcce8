// SPDX-License-Identifier: Apache-2.0

internal import CKernels

extension Kernel {
    /// The level of the processor that the loops use: 0 portable, 1 AVX2, 2 AVX-512, 3 AVX-512 with VBMI.
    package static var level: Int { Int(ck_level()) }

    /// The highest level of this processor.
    package static var highestLevel: Int { Int(ck_highest_level()) }

    /// Makes every loop of the process use `level`, or the highest one below it; a negative level means the highest.
    /// Results do not change, only speed: for tests and measurements. Returns the level in use.
    @discardableResult
    package static func force(level: Int) -> Int { Int(ck_force_level(Int32(clamping: level))) }
}
