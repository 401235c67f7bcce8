// SPDX-License-Identifier: Apache-2.0

import CKymograph
import Synchronization

/// Batches that were handed out and not released yet.
private let handedOut = Atomic<Int64>(0)

/// Rows of all columns of a stream. A batch is filled, then handed out once.
package final class ArrowBatch {
    package let columns: [ArrowColumn]

    /// - Parameters:
    ///   - rows: the expected number of rows.
    ///   - dictionaries: the texts of each dictionary column, by its position.
    package init(_ fields: [ArrowField], rows: Int, dictionaries: [Int: ArrowTexts] = [:]) {
        columns = fields.enumerated().map { ArrowColumn($1.type, rows: rows, dictionary: dictionaries[$0]) }
    }

    /// The number of rows.
    package var rows: Int { columns.first?.count ?? 0 }

    /// The number of batches that were handed out and not released yet.
    package static var live: Int64 { handedOut.load(ordering: .relaxed) }

    /// Writes the batch into a struct of the caller, which releases it. Each column keeps its memory by itself, so that
    /// a consumer can move it out.
    ///
    /// - Requires: all columns have the same number of rows.
    func export(to out: UnsafeMutablePointer<ArrowArray>) {
        let rows = rows
        precondition(columns.allSatisfy { $0.count == rows }, "columns of different lengths")
        let children = UnsafeMutablePointer<UnsafeMutablePointer<ArrowArray>?>.allocate(
            capacity: max(1, columns.count))
        for (i, column) in columns.enumerated() { unsafe (children + i).initialize(to: Self.child(column)) }
        let buffers = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: 1)
        unsafe buffers.initialize(to: nil)
        handedOut.add(1, ordering: .relaxed)
        unsafe out.pointee = ArrowArray(
            length: Int64(rows), null_count: 0, offset: 0, n_buffers: 1, n_children: Int64(columns.count),
            buffers: buffers, children: children, dictionary: nil,
            release: { array in
                if unsafe ArrowBatch.free(array) { handedOut.subtract(1, ordering: .relaxed) }
            }, private_data: nil)
    }

    private static func child(_ column: ArrowColumn) -> UnsafeMutablePointer<ArrowArray> {
        let isText = column.bytes != nil
        let buffers = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: 3)
        unsafe buffers.initialize(repeating: nil, count: 3)
        unsafe buffers[0] = column.validity.map { unsafe UnsafeRawPointer($0.base) }
        unsafe buffers[1] = UnsafeRawPointer(column.values.base)
        unsafe buffers[2] = column.bytes.map { unsafe UnsafeRawPointer($0.base) }
        let array = UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1)
        unsafe array.initialize(
            to: ArrowArray(
                length: Int64(column.count), null_count: Int64(column.nullCount), offset: 0,
                n_buffers: isText ? 3 : 2, n_children: 0, buffers: buffers, children: nil,
                dictionary: column.dictionary.map { unsafe child($0.column) },
                release: { array in _ = unsafe ArrowBatch.free(array) },
                private_data: Unmanaged.passRetained(column).toOpaque()))
        return unsafe array
    }

    /// Frees an array with its children, its dictionary and its column. Returns false if it was released before.
    private static func free(_ array: UnsafeMutablePointer<ArrowArray>?) -> Bool {
        guard let array = unsafe array, unsafe array.pointee.release != nil else { return false }
        for i in 0..<Int(unsafe array.pointee.n_children) {
            if let child = unsafe array.pointee.children[i] {
                // A consumer may have moved the child out.
                if let release = unsafe child.pointee.release { unsafe release(child) }
                unsafe child.deallocate()
            }
        }
        unsafe array.pointee.children?.deallocate()
        if let dictionary = unsafe array.pointee.dictionary {
            if let release = unsafe dictionary.pointee.release { unsafe release(dictionary) }
            unsafe dictionary.deallocate()
        }
        unsafe array.pointee.buffers?.deallocate()
        if let column = unsafe array.pointee.private_data {
            unsafe Unmanaged<ArrowColumn>.fromOpaque(column).release()
        }
        unsafe array.pointee.release = nil
        return true
    }
}
