// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Calls of the C library that Swift's map of its headers does not show.
enum GNUCalls {
    /// A pipe whose ends no child inherits.
    static func closedPipe() throws -> (read: Int32, write: Int32) {
        typealias Pipe2 = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
        let pipe2 = unsafe unsafeBitCast(try symbol("pipe2"), to: Pipe2.self)
        var ends: [Int32] = [0, 0]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw CampaignError("no pipe: error \(errno)") }
        return (ends[0], ends[1])
    }

    /// Gives the calling thread a mount namespace of its own.
    static func ownMounts() throws {
        typealias Unshare = @convention(c) (Int32) -> Int32
        let unshare = unsafe unsafeBitCast(try symbol("unshare"), to: Unshare.self)
        let newMounts: Int32 = 0x0002_0000
        guard unshare(newMounts) == 0 else { throw CampaignError("no mount namespace: error \(errno)") }
    }

    private static func symbol(_ name: String) throws -> UnsafeMutableRawPointer {
        guard let symbol = unsafe dlsym(nil, name) else { throw CampaignError("the C library has no \(name)") }
        return unsafe symbol
    }
}
