// SPDX-License-Identifier: Apache-2.0

internal import CCipher
package import FileSystem

/// An error of encryption or of the keys of a store.
public struct CipherError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of error that a caller may act on.
    public enum Kind: Sendable {
        /// The system's libcrypto is missing or unsuitable.
        case unavailable
        /// The library or the system failed, for example for lack of memory or of random bytes.
        case failed
        /// Bytes with a correct checksum do not belong to their tag: they were changed, or moved from another place.
        case forged
        /// The process was forked; the child has no keys.
        case forked
        /// The store is encrypted, and no secret was given.
        case needsKey
        /// The secret opens no slot of the store.
        case wrongKey
        /// The files of keys are damaged.
        case corrupt
        /// A later version wrote the files of keys.
        case newerFormat
        /// An argument is outside of its limits.
        case invalidArgument
        /// A call to the disk failed.
        case inputOutput
    }

    /// The kind of the error.
    public let kind: Kind
    /// What failed, why, and what to do next.
    public let message: String
    /// The path of the file; nil if no file is concerned.
    public let path: String?
    /// The error of the disk, for `inputOutput`.
    package let disk: DiskError?

    package init(_ kind: Kind, _ message: String, path: String? = nil, disk: DiskError? = nil) {
        self.kind = kind
        self.message = message
        self.path = path
        self.disk = disk
    }

    package init(_ error: DiskError) {
        self.init(.inputOutput, error.description, path: error.path, disk: error)
    }

    /// The advice of `needsKey`. A program adds how it takes a key.
    package static let giveKey = "give its key"

    /// Returns the error with a path, unless it has one.
    func naming(_ path: String) -> CipherError {
        CipherError(kind, message, path: self.path ?? path, disk: disk)
    }

    /// The message, with the path.
    public var description: String { message + (path.map { " [\($0)]" } ?? "") }

    /// Throws the error of a code of `CCipher`; returns for `KC_OK`.
    @inline(__always)
    static func check(_ code: Int32, _ operation: StaticString) throws(CipherError) {
        if code != 0 { throw error(code, operation) }
    }

    @inline(never)
    private static func error(_ code: Int32, _ operation: StaticString) -> CipherError {
        switch Int(code) {
        case KC_ABSENT:
            CipherError(
                .unavailable,
                "encryption needs OpenSSL's libcrypto.so.3; on Debian: apt-get install \(CipherLibrary.package) "
                    + "(\(CipherLibrary.detail))")
        case KC_UNSUITABLE:
            CipherError(
                .unavailable,
                "\(CipherLibrary.detail); on Debian: apt-get install --reinstall \(CipherLibrary.package)")
        case KC_ARGUMENT: CipherError(.invalidArgument, "\(operation): an argument is out of range")
        case KC_FORGED:
            CipherError(.forged, "\(operation): the tag does not match the bytes; they were changed or moved")
        case KC_FORKED:
            CipherError(
                .forked, "\(operation): the process was forked, and the child has no keys; open the store again")
        default: CipherError(.failed, "\(operation): libcrypto failed, perhaps for lack of memory")
        }
    }

    /// Runs calls to the disk, with their errors as errors of this module.
    static func onDisk<R>(_ body: () throws(DiskError) -> R) throws(CipherError) -> R {
        do throws(DiskError) { return try body() } catch { throw CipherError(error) }
    }
}
