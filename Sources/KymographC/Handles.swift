// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import FileSystem
    import Kymograph
    import Synchronization

    /// The objects behind the handles of callers.
    ///
    /// A handle is a number in the form of a pointer, and no number is used twice. So a closed handle is an error and
    /// not an access to freed memory. A forked child begins with an empty table and never waits for a lock that a
    /// thread of its parent held.
    final class Handles: Sendable {
        private let process = ProcessMark.current
        private let objects = Mutex([UInt: any Sendable]())

        private static let current = Atomic<UInt>(0)
        private static let last = Atomic<UInt>(0)

        private init() {}

        /// The table of this process.
        ///
        /// Tables are never freed: a child has a copy of its parent's, and another thread may still read an old one.
        private static var own: Handles {
            let bits = current.load(ordering: .acquiring)
            if let pointer = unsafe UnsafeRawPointer(bitPattern: bits) {
                let found = unsafe Unmanaged<Handles>.fromOpaque(pointer).takeUnretainedValue()
                if found.process == .current { return found }
            }
            let fresh = unsafe Unmanaged.passRetained(Handles())
            let address = unsafe UInt(bitPattern: fresh.toOpaque())
            let (isNew, _) = current.compareExchange(
                expected: bits, desired: address, ordering: .acquiringAndReleasing)
            if isNew { return unsafe fresh.takeUnretainedValue() }
            // Another thread was faster.
            unsafe fresh.release()
            return Handles.own
        }

        /// Adds an object and returns its handle.
        static func add(_ object: some Sendable) -> OpaquePointer? {
            // The table of a forked child begins before its first number.
            let own = own
            let number = last.add(1, ordering: .relaxed).newValue
            own.objects.withLock { $0[number] = object }
            // A multiple of 16 that is no address of memory.
            return unsafe OpaquePointer(bitPattern: number << 4 | 1 << 62)
        }

        /// Removes a handle and returns its object; nil if it is closed, of a parent process or of another kind.
        static func remove<T: Sendable>(_ handle: OpaquePointer?, _ type: T.Type) -> T? {
            guard let handle = unsafe handle else { return nil }
            let number = unsafe number(handle)
            return own.objects.withLock { objects in
                guard let object = objects[number] as? T else { return nil }
                objects[number] = nil
                return object
            }
        }

        private static func number(_ handle: OpaquePointer) -> UInt {
            (UInt(bitPattern: handle) & ~(1 << 62)) >> 4
        }

        /// Returns the object of a handle.
        ///
        /// - Throws: `invalidArgument`, `closed`, `forked`.
        static func object<T: Sendable>(
            _ handle: OpaquePointer?, _ type: T.Type, _ name: String
        ) throws(StoreError) -> T {
            guard let handle = unsafe handle else {
                throw StoreError(.invalidArgument, "the \(name) is NULL; open one first")
            }
            let own = own
            let number = unsafe number(handle)
            if let found = own.objects.withLock({ $0[number] }) {
                guard let object = found as? T else {
                    throw StoreError(.invalidArgument, "the handle belongs to another kind of object than a \(name)")
                }
                return object
            }
            if number > 0, number <= Self.last.load(ordering: .relaxed), own.firstNumber > number {
                throw StoreError(
                    .forked, "the \(name) was opened before this process was forked; open it again in this process")
            }
            throw StoreError(.closed, "the \(name) was closed; open it again")
        }

        /// The handles below this number are of the parent process.
        private let firstNumber = last.load(ordering: .relaxed) + 1
    }
#endif
