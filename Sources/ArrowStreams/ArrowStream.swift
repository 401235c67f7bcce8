// SPDX-License-Identifier: Apache-2.0

package import CKymograph

/// An error of a stream: a number of the system, as the C stream interface wants it, and a message.
package struct ArrowStreamError: Error {
    package var number: Int32
    package var message: String

    // The system's numbers.
    package static let inputOutput: Int32 = 5
    package static let invalidArgument: Int32 = 22
    package static let cancelled: Int32 = 125

    package init(_ number: Int32, _ message: String) {
        self.number = number
        self.message = message
    }
}

/// Batches that a consumer pulls. An error ends the stream: every later pull reports it again.
@safe
package final class ArrowStream {
    private let schema: ArrowSchemaFields
    /// Makes the next batch; nil after the last. It is dropped at the end, with all that it holds.
    private var next: (() throws(ArrowStreamError) -> ArrowBatch?)?
    private var failure: ArrowStreamError?
    private var message: UnsafeMutablePointer<CChar>?

    package init(_ schema: ArrowSchemaFields, _ next: @escaping () throws(ArrowStreamError) -> ArrowBatch?) {
        self.schema = schema
        self.next = next
    }

    /// A stream of batches that exist already.
    package convenience init(_ schema: ArrowSchemaFields, _ batches: [ArrowBatch]) {
        var rest = batches.filter { $0.rows > 0 }[...]
        self.init(schema) { () throws(ArrowStreamError) in rest.popFirst() }
    }

    deinit { unsafe kymo_text_free(message) }

    /// Writes the stream into a struct of the caller, which releases it.
    package func export(to out: UnsafeMutablePointer<ArrowArrayStream>) {
        unsafe out.pointee = ArrowArrayStream(
            get_schema: { stream, out in
                guard let stream = unsafe ArrowStream.at(stream), let out = unsafe out else {
                    return ArrowStreamError.invalidArgument
                }
                unsafe stream.schema.export(to: out)
                return 0
            },
            get_next: { stream, out in
                guard let stream = unsafe ArrowStream.at(stream), let out = unsafe out else {
                    return ArrowStreamError.invalidArgument
                }
                return unsafe stream.pull(out)
            },
            get_last_error: { stream in
                guard let stream = unsafe ArrowStream.at(stream) else { return nil }
                return unsafe UnsafePointer(stream.message)
            },
            release: { stream in
                guard let stream = unsafe stream, unsafe stream.pointee.release != nil else { return }
                unsafe Unmanaged<ArrowStream>.fromOpaque(stream.pointee.private_data).release()
                unsafe stream.pointee.release = nil
            },
            private_data: Unmanaged.passRetained(self).toOpaque())
    }

    private static func at(_ stream: UnsafeMutablePointer<ArrowArrayStream>?) -> ArrowStream? {
        guard let stream = unsafe stream, unsafe stream.pointee.release != nil else { return nil }
        return unsafe Unmanaged<ArrowStream>.fromOpaque(stream.pointee.private_data).takeUnretainedValue()
    }

    private func pull(_ out: UnsafeMutablePointer<ArrowArray>) -> Int32 {
        if let failure { return failure.number }
        do throws(ArrowStreamError) {
            if let batch = try next?() {
                unsafe batch.export(to: out)
                return 0
            }
            next = nil
            unsafe out.pointee.release = nil
            return 0
        } catch {
            next = nil
            failure = error
            unsafe kymo_text_free(message)
            unsafe message = ck_copy_text(error.message)
            return error.number
        }
    }
}
