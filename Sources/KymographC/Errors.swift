// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    import Cipher
    public import CKymograph
    import Kymograph

    /// The object behind a `kymo_error`.
    @safe
    final class ErrorRecord {
        let kind: kymo_kind
        let message: UnsafeMutablePointer<CChar>?
        let path: UnsafeMutablePointer<CChar>?
        let offset: Int64
        let series: Int64

        init(_ error: any Error) {
            let known = (error as? StoreError) ?? (error as? CipherError).map { StoreError($0) }
            if let known {
                kind = kymo_kind(UInt32(known.kind.rawValue))
            } else {
                kind = error is ArrowInputError ? KYMO_BAD_ARROW : KYMO_OTHER
            }
            unsafe message = ck_copy_text(known?.message ?? (error as? ArrowInputError)?.message ?? "\(error)")
            unsafe path = known?.path.map { unsafe ck_copy_text($0) } ?? nil
            offset = known?.offset.map { Int64(clamping: $0) } ?? -1
            series = known?.series?.rawValue ?? 0
        }

        deinit {
            unsafe kymo_text_free(message)
            unsafe kymo_text_free(path)
        }

        static func at(_ error: OpaquePointer?) -> ErrorRecord? {
            guard let error = unsafe error else { return nil }
            return unsafe Unmanaged<ErrorRecord>.fromOpaque(UnsafeRawPointer(error)).takeUnretainedValue()
        }
    }

    /// Runs the body of a call. An error becomes the call's result and, if the caller wants it, an object.
    func answer(_ out: UnsafeMutablePointer<OpaquePointer?>?, _ body: () throws -> Void) -> kymo_kind {
        do {
            try body()
            return KYMO_OK
        } catch {
            let record = ErrorRecord(error)
            if let out = unsafe out { unsafe out.pointee = OpaquePointer(Unmanaged.passRetained(record).toOpaque()) }
            return record.kind
        }
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_error_kind(_ error: OpaquePointer!) -> kymo_kind { unsafe ErrorRecord.at(error)?.kind ?? KYMO_OK }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_error_message(_ error: OpaquePointer!) -> UnsafePointer<CChar>! {
        unsafe UnsafePointer(ErrorRecord.at(error)?.message)
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_error_path(_ error: OpaquePointer!) -> UnsafePointer<CChar>! {
        unsafe UnsafePointer(ErrorRecord.at(error)?.path)
    }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_error_offset(_ error: OpaquePointer!) -> Int64 { unsafe ErrorRecord.at(error)?.offset ?? -1 }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_error_series(_ error: OpaquePointer!) -> Int64 { unsafe ErrorRecord.at(error)?.series ?? 0 }

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_error_free(_ error: OpaquePointer!) {
        if let error = unsafe error {
            unsafe Unmanaged<ErrorRecord>.fromOpaque(UnsafeRawPointer(error)).release()
        }
    }
#endif
