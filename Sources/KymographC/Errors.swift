// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
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
            switch error {
            case let error as StoreError:
                kind = kymo_kind(UInt32(error.kind.rawValue))
                unsafe message = ck_copy_text(error.message)
                unsafe path = error.path.map { unsafe ck_copy_text($0) } ?? nil
                offset = error.offset.map { Int64(clamping: $0) } ?? -1
                series = error.series?.rawValue ?? 0
            case let error as ArrowInputError:
                kind = KYMO_BAD_ARROW
                unsafe message = ck_copy_text(error.message)
                unsafe path = nil
                offset = -1
                series = 0
            default:
                kind = KYMO_OTHER
                unsafe message = ck_copy_text("\(error)")
                unsafe path = nil
                offset = -1
                series = 0
            }
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

    /// Converts errors of the engine in the middle of a stream.
    func inStream<R>(_ body: () throws -> R) throws(ArrowStreamError) -> R {
        do { return try body() } catch {
            let number: Int32
            switch (error as? StoreError)?.kind {
            case .invalidArgument, .unknownSeries: number = ArrowStreamError.invalidArgument
            case .cancelled: number = ArrowStreamError.cancelled
            default: number = ArrowStreamError.inputOutput
            }
            throw ArrowStreamError(number, "\(error)")
        }
    }

    @c @implementation
    public func kymo_error_kind(_ error: OpaquePointer!) -> kymo_kind { unsafe ErrorRecord.at(error)?.kind ?? KYMO_OK }

    @c @implementation
    public func kymo_error_message(_ error: OpaquePointer!) -> UnsafePointer<CChar>! {
        unsafe UnsafePointer(ErrorRecord.at(error)?.message)
    }

    @c @implementation
    public func kymo_error_path(_ error: OpaquePointer!) -> UnsafePointer<CChar>! {
        unsafe UnsafePointer(ErrorRecord.at(error)?.path)
    }

    @c @implementation
    public func kymo_error_offset(_ error: OpaquePointer!) -> Int64 { unsafe ErrorRecord.at(error)?.offset ?? -1 }

    @c @implementation
    public func kymo_error_series(_ error: OpaquePointer!) -> Int64 { unsafe ErrorRecord.at(error)?.series ?? 0 }

    @c @implementation
    public func kymo_error_free(_ error: OpaquePointer!) {
        if let error = unsafe error {
            unsafe Unmanaged<ErrorRecord>.fromOpaque(UnsafeRawPointer(error)).release()
        }
    }
#endif
