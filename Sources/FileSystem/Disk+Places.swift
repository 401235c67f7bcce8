// SPDX-License-Identifier: Apache-2.0

extension Disk {
    /// Whether a place, which need not be there yet, is a directory or lies in it, whatever links and dots lead there.
    ///
    /// Of a place that is not there, the directory that it would be made in counts.
    package func leads(_ place: String, into directory: String) -> Bool {
        if place == directory || place.hasPrefix(directory + "/") { return true }
        // Other disks have no links.
        guard let disk = self as? RealDisk else { return false }
        if let isInside = try? disk.isDirectory(place, in: directory) { return isInside }
        var parts = place.split(separator: "/", omittingEmptySubsequences: true)
        if !parts.isEmpty { parts.removeLast() }
        let above = (place.hasPrefix("/") ? "/" : "./") + parts.joined(separator: "/")
        return (try? disk.isDirectory(above, in: directory)) ?? false
    }
}
