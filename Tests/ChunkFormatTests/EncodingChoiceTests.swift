// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import ColumnCodec
import Testing

/// Every encoding must be useful: an encoding that is never chosen for real data is only code to maintain and bytes to
/// misread.
@Suite("Encodings: each is chosen for some of the shipped measurements")
struct EncodingChoiceTests {
    private struct Outcome {
        var bytes = 0
        var names: [UInt8: [String]] = [:]
    }

    private func encode(_ block: BlockBuffer, _ name: String, _ outcome: inout Outcome) throws {
        var encoder = BlockEncoder()
        var writer = ByteWriter()
        let result = try encoder.encode(block, identity: testIdentity(), into: &writer)
        outcome.bytes += writer.count
        for choice in result.choices {
            outcome.names[choice.choice.encoding, default: []].append("\(name).\(choice.column)")
            // The encoding of the integers inside a column of reals.
            outcome.names[choice.choice.details.form, default: []].append("\(name).\(choice.column)")
        }
        let back = BlockBuffer()
        var decoder = BlockDecoder()
        try decoder.decode(
            writer.bytes, at: 0, length: writer.count, identity: testIdentity(), columns: .all, into: back)
        #expect(Rows(back) == Rows(block), "\(name)")
    }

    @Test("Every encoding of integers and of reals is the best for some column")
    func all() throws {
        var outcome = Outcome()
        for name in SampleFiles.names {
            let block = try SampleFiles.block(name)
            #expect(block.count > 100, "\(name)")
            try encode(block, name, &outcome)
            // Few samples, as in a row of the tail.
            for count in [1, 2, 12, 100] {
                block.count = count
                try encode(block, "\(name):\(count)", &outcome)
            }
        }
        try encode(SampleFiles.block("export-heart", perSecond: true), "heart per second", &outcome)
        for name in SampleFiles.names {
            let block = try SampleFiles.block(name)
            block.grid = .count
            try encode(block, "\(name) cut by count", &outcome)
        }
        // Excludes the planes (24, 25): windows are smaller on these samples, but existing files use planes.
        let known: [UInt8] = Array(1...12) + Array(17...23) + [26, 27]
        let unused = known.filter { outcome.names[$0] == nil }
        #expect(unused.isEmpty, "never chosen")
    }

    /// Generous bounds, so that only a broken choice fails, not a better one.
    @Test(
        "Bytes per sample of real measurements stay within bounds",
        arguments: [
            ("ecg-mitbih-100", 0.95), ("ppg-heartpy-3", 1.8), ("ride-heart", 0.8), ("ride-elevation", 2.4),
            ("ride-temperature", 0.3), ("export-heart", 5.0), ("export-steps", 8.5), ("export-sleep", 9.0),
        ])
    func sizes(name: String, most: Double) throws {
        var outcome = Outcome()
        let block = try SampleFiles.block(name)
        try encode(block, name, &outcome)
        #expect(Double(outcome.bytes) / Double(block.count) < most)
    }
}
