// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// A failed call to the operating system: the call, its target and the reason.
package struct DiskError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The failed operation: `open`, `write`, `sync` ...
    package let operation: String
    /// The path of the file or directory.
    package let path: String
    package let errno: Int32
    /// The reason as text, with an offset if there is one.
    package let message: String

    package init(_ operation: String, _ path: String, _ errno: Int32, _ detail: String = "") {
        self.operation = operation
        self.path = path
        self.errno = errno
        let text = unsafe String(cString: cg_error_text(errno))
        message = detail.isEmpty ? text : "\(detail) (\(text))"
    }

    package var description: String { "\(operation) \(path): \(message)" + (advice.map { "; \($0)" } ?? "") }

    /// Advice for the user; nil if the error number alone does not suggest any.
    package var advice: String? {
        switch errno {
        case EFBIG where isFull: "raise the limit of a file's size (ulimit -f)"
        case EDQUOT: "free some space of the user's quota"
        case ENOSPC: "free some space"
        case EMFILE: "this process has too many open files: close some, or raise the limit (ulimit -n)"
        case ENFILE: "too many files are open on this machine: end some programs, or raise fs.file-max"
        default: nil
        }
    }

    /// Whether the disk, the quota or the file's size limit is exhausted. Freeing space helps; nothing is damaged.
    ///
    /// A file that is too long to read has the error number of the size limit, but is not such an error.
    package var isFull: Bool { errno == ENOSPC || errno == EDQUOT || errno == EFBIG && operation != "read" }
    /// Whether the file or directory does not exist.
    package var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }
    /// Whether the name is taken.
    package var alreadyExists: Bool { errno == EEXIST }
    /// Whether existing bytes are unreadable: an I/O error, or a file shorter than expected.
    package var isDamage: Bool { errno == EIO || errno == ENODATA || errno == EUCLEAN || errno == EBADMSG }
    /// Whether bytes of a file could not be read. A file that cannot be opened, locked or inspected proves no damage.
    package var isUnreadableContent: Bool { isDamage && ["read", "copy", "map"].contains(operation) }
    /// Whether the user lacks permission, or the disk is read-only.
    package var isDenied: Bool { errno == EACCES || errno == EPERM || errno == EROFS }
    /// Whether the path is not a regular file, or is a symbolic link where none is followed.
    package var isWrongKind: Bool { errno == ELOOP || errno == EISDIR || errno == ENOTSUP }
    /// Whether the file system does not support locks.
    package var isWithoutLocks: Bool { errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP }
    /// Whether too many files are open, in this process or on this machine.
    package var isOutOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }

    /// Whether the caller ended a wait for input.
    package var isCancelled: Bool { errno == ECANCELED }

    // Error numbers for higher modules; only this module imports Glibc.
    package static let noSpace = ENOSPC
    package static let withoutLocks = ENOLCK
    package static let inputOutput = EIO
    package static let missing = ENOENT
    package static let fileTooLarge = EFBIG
    package static let readOnly = EROFS
    package static let denied = EACCES
    package static let tooManyFiles = EMFILE
}
