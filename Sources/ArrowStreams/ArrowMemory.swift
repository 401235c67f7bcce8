// SPDX-License-Identifier: Apache-2.0

/// Memory of a column, aligned to 64 bytes, that grows at its end.
@safe
package final class ArrowMemory {
    private(set) var base: UnsafeMutableRawPointer
    /// The bytes that are reserved.
    private var capacity: Int
    /// The bytes in use.
    package private(set) var count = 0

    /// Reserves memory without writing to it.
    init(_ bytes: Int) {
        capacity = max(64, bytes)
        unsafe base = Self.allocate(capacity)
    }

    deinit { unsafe base.deallocate() }

    private static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    }

    private func reserve(_ added: Int) {
        let needed = count + added
        if needed <= capacity { return }
        let larger = max(needed, 2 * capacity)
        let memory = unsafe Self.allocate(larger)
        unsafe memory.copyMemory(from: base, byteCount: count)
        unsafe base.deallocate()
        unsafe base = memory
        capacity = larger
    }

    /// Appends the elements that `body` writes, at most `count`.
    package func append<T: BitwiseCopyable, R, E: Error>(
        _ type: T.Type, _ count: Int, _ body: (inout OutputSpan<T>) throws(E) -> R
    ) throws(E) -> R {
        let width = MemoryLayout<T>.stride
        reserve(count * width)
        let start = unsafe (base + self.count).bindMemory(to: T.self, capacity: max(1, count))
        let room = unsafe UnsafeMutableBufferPointer(start: start, count: count)
        var output = unsafe OutputSpan<T>(buffer: room, initializedCount: 0)
        let result = try body(&output)
        let written = unsafe output.finalize(for: room)
        self.count += width * written
        return result
    }

    /// Appends one element.
    package func append<T: BitwiseCopyable>(_ value: T) { append(T.self, 1) { $0.append(value) } }

    /// Appends one element `count` times.
    package func append<T: BitwiseCopyable>(repeating value: T, _ count: Int) {
        append(T.self, count) { $0.append(repeating: value, count: count) }
    }

    /// Appends bytes.
    package func append(_ bytes: some Collection<UInt8>) {
        append(UInt8.self, bytes.count) { for byte in bytes { $0.append(byte) } }
    }

    /// The element at a position.
    package func element<T: BitwiseCopyable>(_ type: T.Type, _ position: Int) -> T {
        precondition(position >= 0 && (position + 1) * MemoryLayout<T>.stride <= count, "outside of a column")
        return unsafe base.load(fromByteOffset: position * MemoryLayout<T>.stride, as: T.self)
    }

    /// Replaces the element at a position.
    package func set<T: BitwiseCopyable>(_ value: T, _ position: Int) {
        precondition(position >= 0 && (position + 1) * MemoryLayout<T>.stride <= count, "outside of a column")
        unsafe base.storeBytes(of: value, toByteOffset: position * MemoryLayout<T>.stride, as: T.self)
    }

    /// Calls `body` with the elements, which it may change.
    package func withElements<T: BitwiseCopyable, R>(_ type: T.Type, _ body: (inout MutableSpan<T>) -> R) -> R {
        let elements = count / MemoryLayout<T>.stride
        let start = unsafe base.bindMemory(to: T.self, capacity: max(1, elements))
        var span = unsafe MutableSpan<T>(_unsafeStart: start, count: elements)
        return body(&span)
    }
}
