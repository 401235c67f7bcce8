// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// A call to the outside world that failed: which call, on what, and why.
package struct DiskError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried: `open`, `write`, `sync` ...
    package let operation: String
    /// The file or directory it was tried on.
    package let path: String
    /// The system's error number.
    package let errno: Int32
    /// The reason in words, with an offset where there is one.
    package let message: String

    package init(_ operation: String, _ path: String, _ errno: Int32, _ detail: String = "") {
        self.operation = operation
        self.path = path
        self.errno = errno
        let text = unsafe String(cString: cg_error_text(errno))
        message = detail.isEmpty ? text : "\(detail) (\(text))"
    }

    package var description: String { "\(operation) \(path): \(message)" + (advice.map { "; \($0)" } ?? "") }

    /// What to do about it; nil where the number alone does not tell.
    package var advice: String? {
        switch errno {
        case EFBIG where isFull: "raise the limit of a file's size (ulimit -f)"
        case EDQUOT: "free some space of the user's quota"
        case ENOSPC: "free some space"
        case EMFILE: "this process has too many open files: close some, or raise the limit (ulimit -n)"
        case ENFILE: "all programs together have too many open files: end some, or raise fs.file-max"
        default: nil
        }
    }

    /// The disk, the quota or the file's size limit has no room. Freeing space helps; nothing is damaged.
    ///
    /// A file that is too long to be read has the number of the size limit, too.
    package var isFull: Bool { errno == ENOSPC || errno == EDQUOT || errno == EFBIG && operation != "read" }
    /// No such file or directory.
    package var isMissing: Bool { errno == ENOENT || errno == ENOTDIR }
    /// The name is taken.
    package var alreadyExists: Bool { errno == EEXIST }
    /// Bytes that should be there cannot be read: an I/O error, or a file shorter than it must be.
    package var isDamage: Bool { errno == EIO || errno == ENODATA || errno == EUCLEAN || errno == EBADMSG }
    /// The user may not do this, or the disk is read-only.
    package var isDenied: Bool { errno == EACCES || errno == EPERM || errno == EROFS }
    /// Not a plain file (or a symbolic link where none is followed).
    package var isWrongKind: Bool { errno == ELOOP || errno == EISDIR || errno == ENOTSUP }
    /// The file system has no locks.
    package var isWithoutLocks: Bool { errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP }
    /// Too many open files, in this process or on this machine.
    package var isOutOfDescriptors: Bool { errno == EMFILE || errno == ENFILE }
}

extension DiskError {
    // The numbers that rooms above may need to name; only this room knows Glibc.
    package static let noSpace = ENOSPC
    package static let withoutLocks = ENOLCK
    package static let inputOutput = EIO
    package static let missing = ENOENT
    package static let exists = EEXIST
    package static let invalid = EINVAL
    package static let badDescriptor = EBADF
    package static let fileTooLarge = EFBIG
    package static let readOnly = EROFS
    package static let denied = EACCES
    package static let tooManyFiles = EMFILE
    package static let wrongKind = ENOTSUP
}
