// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension UnitForm {
    /// Returns the form of a unit string; common strings are parsed at most once.
    ///
    /// Half a million records repeat the same dozen strings. The cache holds at most 1,024 strings of at most 64 bytes,
    /// so a file full of invented units costs time, not memory.
    static func parsed(_ string: String) throws(HKUnitError) -> UnitForm {
        if let form = cache.withLock({ $0[string] }) { return form }
        let form = UnitForm(try UnitParser.factors(of: string))
        if string.utf8.count <= 64 {
            cache.withLock { if $0.count < 1024 { $0[string] = form } }
        }
        return form
    }

    /// Returns the form of a string in this target's tables; nil would be an error in a table, which a test excludes.
    static func cached(_ string: String) -> UnitForm? {
        do { return try parsed(string) } catch { return nil }
    }

    /// Returns the form of a unit string of any program: HealthKit's grammar, otherwise a spelling that `UnitSpelling`
    /// translates. The error is that of HealthKit's grammar, or names the two meanings of an ambiguous string.
    static func read(_ string: String) throws(HKUnitError) -> UnitForm {
        if let form = spellings.withLock({ $0[string] }) { return form }
        do throws(HKUnitError) {
            return try parsed(string)
        } catch {
            guard string.utf8.count <= UnitParser.maximumLength, let right = UnitSpelling.healthKit(string),
                let form = cached(right.text)
            else { throw error }
            if let other = right.other {
                let above = string.prefix { $0 != "/" && UnitSpelling.signs[$0] != "/" }
                throw .unparsable(
                    string: string, offset: above.utf8.count,
                    reason: "the factors after '/' may divide or multiply; write \(right.text) or \(other)")
            }
            if string.utf8.count <= 64 {
                spellings.withLock { if $0.count < 1024 { $0[string] = form } }
            }
            return form
        }
    }

    private static let cache = Mutex<[String: UnitForm]>([:])
    private static let spellings = Mutex<[String: UnitForm]>([:])
}
