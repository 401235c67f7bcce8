// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The probabilities of quantiles on the command line: `0.05,0.5,0.95`.
struct QuantileList: ExpressibleByArgument {
    let probabilities: [Double]

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter { $0 >= 0 && $0 <= 1 }
        guard !numbers.isEmpty, numbers.count == parts.count, Set(numbers).count == numbers.count else { return nil }
        probabilities = numbers.map { $0 + 0 }
    }
}
