// SPDX-License-Identifier: Apache-2.0

import CKymograph

/// Makes the C structs of a schema. Their memory belongs to the struct and is freed by its `release`.
enum ArrowSchemaExport {
    static func schema(
        _ format: String, _ name: String, _ metadata: [String: String], flags: Int64, _ children: [ArrowSchema],
        _ dictionary: ArrowSchema?
    ) -> ArrowSchema {
        let list = unsafe UnsafeMutablePointer<UnsafeMutablePointer<ArrowSchema>?>.allocate(
            capacity: max(1, children.count))
        for i in unsafe children.indices { unsafe (list + i).initialize(to: boxed(children[i])) }
        return unsafe ArrowSchema(
            format: copy(Array(format.utf8) + [0]), name: copy(Array(name.utf8) + [0]),
            metadata: metadata.isEmpty ? nil : UnsafePointer(copy(encoded(metadata))), flags: flags,
            n_children: Int64(children.count), children: list, dictionary: dictionary.map(boxed),
            release: release, private_data: nil)
    }

    private static func boxed(_ schema: ArrowSchema) -> UnsafeMutablePointer<ArrowSchema> {
        let box = UnsafeMutablePointer<ArrowSchema>.allocate(capacity: 1)
        unsafe box.initialize(to: schema)
        return unsafe box
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (i, byte) in bytes.enumerated() { unsafe (memory + i).initialize(to: CChar(bitPattern: byte)) }
        return unsafe memory
    }

    /// Metadata as the interface encodes it: a count, then lengths and bytes of keys and values.
    static func encoded(_ metadata: [String: String]) -> [UInt8] {
        var bytes = [UInt8]()
        func append(_ number: Int) {
            let number = UInt32(truncatingIfNeeded: number)
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
        }
        append(metadata.count)
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            for text in [key, value] {
                append(text.utf8.count)
                bytes += text.utf8
            }
        }
        return bytes
    }

    private static let release: @convention(c) (UnsafeMutablePointer<ArrowSchema>?) -> Void = { schema in
        guard let schema = unsafe schema, unsafe schema.pointee.release != nil else { return }
        unsafe UnsafeMutablePointer(mutating: schema.pointee.format)?.deallocate()
        unsafe UnsafeMutablePointer(mutating: schema.pointee.name)?.deallocate()
        unsafe UnsafeMutablePointer(mutating: schema.pointee.metadata)?.deallocate()
        for i in 0..<Int(unsafe schema.pointee.n_children) {
            if let child = unsafe schema.pointee.children[i] {
                // A consumer may have moved the child out.
                if let release = unsafe child.pointee.release { unsafe release(child) }
                unsafe child.deallocate()
            }
        }
        unsafe schema.pointee.children?.deallocate()
        if let dictionary = unsafe schema.pointee.dictionary {
            if let release = unsafe dictionary.pointee.release { unsafe release(dictionary) }
            unsafe dictionary.deallocate()
        }
        unsafe schema.pointee.release = nil
    }
}
