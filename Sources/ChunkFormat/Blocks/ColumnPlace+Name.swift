// SPDX-License-Identifier: Apache-2.0

import ColumnCodec

extension ColumnPlace {
    /// How the column is stored, in words: encoding, what the block does on its own, LZ4. `bytes` are those that the
    /// place was found in.
    package func encodingName(_ bytes: [UInt8], _ header: BlockHeader) -> String {
        var name: String
        switch form {
        case .absent: name = "absent"
        case .constant: name = "one value"
        case .sequence: name = "counter"
        case .coded:
            guard let coded, coded.count >= 2, coded.upperBound <= bytes.count else { return "?" }
            name = Encoding.name(bytes[coded.lowerBound])
            if bytes[coded.lowerBound + 1] & Encoding.lz4Flag != 0 { name += "+lz4" }
        }
        if column == .end { name += header.endFromNextStart ? " from next start" : " from start" }
        if column == .created {
            switch header.createdBase {
            case .absolute: break
            case .start: name += " from start"
            case .end: name += " from end"
            }
        }
        return name
    }
}
