// SPDX-License-Identifier: Apache-2.0

import CivilTime
import KymographHealth

/// The output of the samples with a value that a program may read: the result of its sample query.
struct ClientSamples {
    let client: String
    let request: SampleRequest
    let zone: CivilZone

    /// Passes up to the requested number of samples to the body. A series is one sample.
    private func each(_ store: HealthStore, _ body: (HealthSample) throws -> Bool) throws {
        var left = request.limit
        let isBackward = request.order == .backward
        let type = HKObjectType.type(for: request.type.identifier)
        guard let type = type as? HKSampleType else { return }
        try store.list(type, startingIn: request.range, backward: isBackward, asOf: request.asOf) { one in
            guard left > 0, let sample = HealthSample(one, as: request.type, unit: request.unit) else {
                return left > 0
            }
            if let sources = request.sources, !sources.contains(sample.source) { return true }
            left -= 1
            return try body(sample)
        }
    }

    /// - Parameter store: the store as the program sees it.
    func write(_ store: HealthStore, _ output: Output, _ format: RowFormat?) throws {
        guard let format else { return try table(store, output) }
        var writer = SampleWriter(output, format, zone)
        try each(store) { sample in
            try writer.append(sample)
            return output.isOpen
        }
        try writer.finish()
    }

    private func table(_ store: HealthStore, _ output: Output) throws {
        var table = SampleTable(request.type, zone, output)
        try each(store) { sample in
            try table.append(sample)
            return output.isOpen
        }
        try table.finish()
        if table.count == 0 {
            Messages.write("\(client) reads no samples of \(request.type.shortName) in this range")
        }
    }
}
