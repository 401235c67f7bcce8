// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// What a query needs while it runs: one decoded block and the bytes it came from.
final class QueryScratch {
    let block = BlockBuffer()
    var decoder = BlockDecoder()
    var bytes = [UInt8]()
    let explanation: QueryExplanation?

    init(_ explanation: QueryExplanation?) { self.explanation = explanation }

    /// Decodes a block of a segment into `block`.
    func load(_ run: RunIndex, _ offset: UInt64, _ length: UInt32, _ columns: ColumnSet) throws(StoreError) {
        try run.file.copy(offset, length, into: &bytes)
        do throws(FormatError) {
            try decoder.decode(
                bytes, at: 0, length: Int(length), identity: run.identity(offset), columns: columns, into: block)
        } catch {
            throw StoreError(error, path: run.file.path)
        }
        note(Int(length))
    }

    /// Decodes a block of the tail into `block`.
    func load(_ tail: TailBlock, _ columns: ColumnSet) throws(StoreError) {
        do throws(FormatError) {
            try decoder.decode(
                tail.bytes, at: 0, length: tail.length, identity: tail.identity, columns: columns, into: block)
        } catch {
            throw StoreError(error, path: "tail row \(tail.seq)")
        }
        note(tail.length)
    }

    private func note(_ length: Int) {
        guard let explanation else { return }
        explanation.blocksDecoded += 1
        explanation.samplesDecoded += block.count
        explanation.bytesRead += length
    }
}
