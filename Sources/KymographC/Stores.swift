// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import Cipher
    public import CKymograph
    import FileSystem
    import Kymograph

    /// The object behind a `kymo_store`.
    struct OpenStore: Sendable {
        let store: TimeSeriesStore
        let storeID: String
        /// The zone of calendar buckets without one.
        let homeZone: String

        static func at(_ handle: OpaquePointer?) throws(StoreError) -> OpenStore {
            try unsafe Handles.object(handle, OpenStore.self, "store")
        }
    }

    /// The object behind a `kymo_snapshot`.
    struct OpenSnapshot: Sendable {
        let snapshot: Snapshot
        let storeID: String
        let homeZone: String

        static func at(_ handle: OpaquePointer?) throws(StoreError) -> OpenSnapshot {
            try unsafe Handles.object(handle, OpenSnapshot.self, "snapshot")
        }
    }

    /// The options of an opening.
    private func storeOptions(
        _ pointer: UnsafePointer<kymo_open_options>?
    ) throws -> (mode: OpenMode, creates: Bool, options: StoreOptions) {
        var given = unsafe kymo_open_options()
        if unsafe pointer != nil {
            given = try unsafe copy(pointer, kymo_open_options(), least: 48, "kymo_open_options")
        }
        var options = StoreOptions()
        let (mode, threads, wait) = unsafe (given.mode, given.threads, given.writer_wait_ms)
        if threads > 0 { options.threads = Int(threads) }
        if unsafe given.home_zone != nil { options.homeZone = try unsafe text(given.home_zone, "home_zone") }
        if wait != 0 { options.writerWait = .milliseconds(max(0, wait)) }
        if unsafe given.key_file != nil { options.key = KeyFile(try unsafe text(given.key_file, "key_file")) }
        if unsafe given.passphrase != nil {
            guard options.key == nil else { throw invalid("a key file and a passphrase were given; give one of them") }
            // Without a text in between, whose memory nothing would wipe.
            var bytes = [UInt8]()
            while case let byte = unsafe given.passphrase[bytes.count], byte != 0 {
                bytes.append(UInt8(bitPattern: byte))
            }
            options.key = KeyOnce(try StoreSecret(passphrase: &bytes))
        }
        let creates = mode & UInt32(KYMO_CREATE) != 0
        switch mode & ~UInt32(KYMO_CREATE) {
        case UInt32(KYMO_READ):
            if creates { throw invalid("KYMO_CREATE needs KYMO_WRITE or KYMO_SHARED") }
            return (.readOnly, false, options)
        case UInt32(KYMO_WRITE): return (.readWrite, creates, options)
        case UInt32(KYMO_SHARED): return (.shared, creates, options)
        default: throw invalid("there is no mode \(mode)")
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_store_open(
        _ path: UnsafePointer<CChar>!, _ options: UnsafePointer<kymo_open_options>!,
        _ out: UnsafeMutablePointer<OpaquePointer?>!, _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let path = try unsafe text(path, "path")
            let (mode, creates, options) = try unsafe storeOptions(options)
            let store =
                creates
                ? try TimeSeriesStore.openOrCreate(at: path, mode: mode, options: options)
                : try TimeSeriesStore.open(at: path, mode: mode, options: options)
            do {
                let info = try store.info()
                unsafe out.pointee = Handles.add(
                    OpenStore(store: store, storeID: info.storeID, homeZone: info.homeZone))
            } catch {
                store.close()
                throw error
            }
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_store_close(_ store: OpaquePointer!) {
        unsafe Handles.remove(store, OpenStore.self)?.store.close()
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_store_refresh(
        _ store: OpaquePointer!, _ is_new: UnsafeMutablePointer<Int32>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let isNew = try unsafe OpenStore.at(store).store.refresh()
            if let is_new = unsafe is_new { unsafe is_new.pointee = isNew ? 1 : 0 }
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_store_wait(
        _ store: OpaquePointer!, _ after_commit: Int64, _ timeout_ms: Int64, _ commit: UnsafeMutablePointer<Int64>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let store = try unsafe OpenStore.at(store).store
            let end = SystemClock.monotonicNanoseconds() &+ min(max(0, timeout_ms), 1 << 40) * 1_000_000
            var last = store.snapshot().sequence
            while true {
                if try store.hasNews() { try store.refresh() }
                last = store.snapshot().sequence
                let left = end &- SystemClock.monotonicNanoseconds()
                if last > after_commit || left <= 0 { break }
                SystemClock.sleep(milliseconds: Int(min(5, left / 1_000_000 + 1)))
            }
            if let commit = unsafe commit { unsafe commit.pointee = last }
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_store_snapshot(
        _ store: OpaquePointer!, _ as_of: Int64, _ out: UnsafeMutablePointer<OpaquePointer?>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let out = try unsafe place(out, "out")
            let opened = try unsafe OpenStore.at(store)
            let snapshot = as_of < 0 ? opened.store.snapshot() : try opened.store.snapshot(asOf: as_of)
            let id = opened.storeID
            unsafe out.pointee = Handles.add(OpenSnapshot(snapshot: snapshot, storeID: id, homeZone: opened.homeZone))
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_store_info(
        _ store: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let json = try unsafe place(json, "json")
            let info = try unsafe OpenStore.at(store).store.info()
            var text = JSONText()
            text.add("store", info.storeID)
            text.add("commit", info.sequence)
            text.add("home_zone", info.homeZone)
            text.add("series", Int64(info.series))
            text.add("samples", Int64(info.samples))
            text.add("deleted_samples", Int64(info.deletedSamples))
            text.add("segments", Int64(info.segments))
            text.add("blocks", Int64(info.blocks))
            text.add("tail_samples", Int64(info.tailSamples))
            text.add("bytes", info.bytes)
            text.add("oldest_commit", info.oldestCommit)
            unsafe json.pointee = ck_copy_text(text.object)
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_store_verify(
        _ store: OpaquePointer!, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!,
        _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) {
            let json = try unsafe place(json, "json")
            let report = try unsafe OpenStore.at(store).store.verify()
            var text = JSONText()
            text.add("segments", Int64(report.segments))
            text.add("blocks", Int64(report.blocks))
            text.add("samples", Int64(report.samples))
            text.add("bytes", report.bytes)
            text.add("problems", report.problems.map { "\($0.message) [\($0.path)]" })
            text.add("unread", report.unread.map { "\($0.message) [\($0.path)]" })
            unsafe json.pointee = ck_copy_text(text.object)
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_store_compact(
        _ store: OpaquePointer!, _ error: UnsafeMutablePointer<OpaquePointer?>!
    ) -> kymo_kind {
        unsafe answer(error) { _ = try unsafe OpenStore.at(store).store.compact() }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_snapshot_commit(_ snapshot: OpaquePointer!) -> Int64 {
        (try? unsafe OpenSnapshot.at(snapshot).snapshot.sequence) ?? -1
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_snapshot_free(_ snapshot: OpaquePointer!) {
        _ = unsafe Handles.remove(snapshot, OpenSnapshot.self)
    }
#endif
