// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Calls of the C library that Swift's import of its headers lacks.
enum GNUCalls {
    /// Returns a pipe whose ends are not inherited by children.
    static func closedPipe() throws -> (read: Int32, write: Int32) {
        typealias Pipe2 = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
        let pipe2 = unsafe unsafeBitCast(try symbol("pipe2"), to: Pipe2.self)
        var ends: [Int32] = [0, 0]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw CampaignError("cannot create a pipe: error \(errno)") }
        return (ends[0], ends[1])
    }

    /// Gives the calling thread its own mount namespace.
    static func ownMounts() throws {
        typealias Unshare = @convention(c) (Int32) -> Int32
        let unshare = unsafe unsafeBitCast(try symbol("unshare"), to: Unshare.self)
        let newMounts: Int32 = 0x0002_0000
        guard unshare(newMounts) == 0 else { throw CampaignError("cannot create a mount namespace: error \(errno)") }
    }

    private static func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
        guard let symbol = unsafe dlsym(nil, name) else { throw CampaignError("the C library lacks \(name)") }
        return unsafe symbol
    }
}
