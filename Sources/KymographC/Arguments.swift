// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    import CKymograph
    import FileSystem
    import Kymograph

    // Reads the arguments of callers.

    func invalid(_ message: String) -> StoreError { StoreError(.invalidArgument, message) }

    /// Returns a text.
    ///
    /// - Throws: `invalidArgument` if it is NULL or not UTF-8.
    func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(StoreError) -> String {
        guard let pointer = unsafe pointer else { throw invalid("\(name) is NULL") }
        guard let text = unsafe String(validatingCString: pointer) else { throw invalid("\(name) is not valid UTF-8") }
        return text
    }

    /// Returns the address of a result.
    ///
    /// - Throws: `invalidArgument` if it is NULL.
    func place<T>(_ out: UnsafeMutablePointer<T>?, _ name: String) throws(StoreError) -> UnsafeMutablePointer<T> {
        guard let out = unsafe out else { throw invalid("\(name) is NULL; pass the address of a variable") }
        return unsafe out
    }

    /// Returns the memory of numbers.
    ///
    /// - Throws: `invalidArgument` if it is NULL and there are some.
    func memory<T: BitwiseCopyable>(
        _ start: UnsafePointer<T>?, _ count: Int, _ name: String
    ) throws(StoreError) -> UnsafeBufferPointer<T> {
        if count == 0 { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
        guard let start = unsafe start else { throw invalid("\(name) is NULL, and their number is \(count)") }
        guard count > 0, count <= 1 << 32 else { throw invalid("the number of \(name) is \(count)") }
        return unsafe UnsafeBufferPointer(start: start, count: count)
    }

    /// Returns a copy of numbers; otherwise as `memory`.
    func numbers<T: BitwiseCopyable>(
        _ start: UnsafePointer<T>?, _ count: Int, _ name: String
    ) throws(StoreError) -> [T] {
        unsafe Array(try memory(start, count, name))
    }

    /// Returns texts.
    func texts(
        _ start: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ name: String
    ) throws(StoreError) -> [String] {
        if count == 0 { return [] }
        guard let start = unsafe start, count > 0, count <= 4_096 else {
            throw invalid("\(name) are NULL, or their number is \(count)")
        }
        var found = [String]()
        for i in 0..<count { found.append(try unsafe text(start[i], "\(name)[\(i)]")) }
        return found
    }

    /// Returns labels from a list of keys and values that ends with NULL.
    func labels(_ start: UnsafePointer<UnsafePointer<CChar>?>?) throws(StoreError) -> [String: String] {
        guard let start = unsafe start else { return [:] }
        var found = [String: String]()
        var i = 0
        while unsafe start[i] != nil {
            let key = try unsafe text(start[i], "a key of a label")
            guard unsafe start[i + 1] != nil else { throw invalid("label \"\(key)\" has no value") }
            guard found.updateValue(try unsafe text(start[i + 1], "the value of label \"\(key)\""), forKey: key) == nil
            else { throw invalid("label \"\(key)\" is given twice") }
            i += 2
        }
        return found
    }

    /// Copies a struct of a caller, whose version may be shorter or longer than that of the library.
    ///
    /// - Parameter least: the size of the first version.
    /// - Throws: `invalidArgument`.
    func copy<T: BitwiseCopyable>(
        _ pointer: UnsafePointer<T>?, _ empty: T, least: Int, _ name: String
    ) throws(StoreError) -> T {
        guard let pointer = unsafe pointer else { throw invalid("\(name) is NULL") }
        let size = unsafe UnsafeRawPointer(pointer).load(as: Int.self)
        guard size >= least, size <= 4_096 else {
            throw invalid("the size of \(name) is \(size); set it to sizeof(\(name)), which is \(MemoryLayout<T>.size)")
        }
        var result = empty
        unsafe withUnsafeMutableBytes(of: &result) { bytes in
            unsafe bytes.copyMemory(
                from: UnsafeRawBufferPointer(start: pointer, count: min(size, MemoryLayout<T>.size)))
        }
        return result
    }

    /// Returns the unit of timestamps.
    func timeUnit(_ number: Int32) throws(StoreError) -> ArrowType.TimeUnit {
        guard let unit = ArrowType.TimeUnit(rawValue: number) else {
            throw invalid(
                "there is no time unit \(number); use KYMO_NANOSECONDS, KYMO_MICROSECONDS or KYMO_MILLISECONDS")
        }
        return unit
    }

    /// The series of a request; without any, all of the store.
    func series(
        _ start: UnsafePointer<Int64>?, _ count: Int, _ snapshot: Snapshot
    ) throws(StoreError) -> [SeriesID] {
        if unsafe start == nil, count == 0 { return snapshot.series.map(\.id).sorted() }
        return try unsafe numbers(start, count, "series").map { SeriesID(rawValue: $0) }
    }

    extension ArrowType.TimeUnit {
        /// An instant in this unit, rounded down.
        @inline(__always)
        func floor(_ nanoseconds: Int64) -> Int64 {
            let unit = self.nanoseconds
            let quotient = nanoseconds / unit
            return nanoseconds % unit < 0 ? quotient - 1 : quotient
        }
    }
#endif
