// SPDX-License-Identifier: Apache-2.0

import Bytes
import KymographHealth

extension SyncRule {
    /// Returns numbers of uses as the body of a frame.
    static func encode(_ uses: [SyncRule: Int]) -> [UInt8] {
        var writer = ByteWriter()
        for (rule, count) in uses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.put(string: rule.rawValue)
            writer.put(varint: UInt64(count))
        }
        return writer.bytes
    }

    /// Returns the numbers of uses in the body of a frame; rules of later versions are left out.
    ///
    /// - Throws: `malformed`.
    static func decode(_ body: [UInt8]) throws(SyncError) -> [SyncRule: Int] {
        var reader = ByteReader(body)
        var uses: [SyncRule: Int] = [:]
        do throws(ByteError) {
            while reader.remaining > 0 {
                let (rule, count) = (SyncRule(rawValue: try reader.string()), try reader.varint())
                if let rule { uses[rule] = Int(min(count, 1 << 48)) }
            }
        } catch {
            throw SyncError(.malformed, "the rules of the other store are damaged at \(error.description)")
        }
        return uses
    }
}
