// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension UnitForm {
    /// The form that a unit string means, parsed at most once for the usual strings.
    ///
    /// Half a million records ask for the same dozen strings. Only strings of up to 64 bytes are kept, and at most
    /// 1,024 of them, so a file full of made-up units costs time but no memory.
    static func parsed(_ string: String) throws(HKUnitError) -> UnitForm {
        if let form = cache.withLock({ $0[string] }) { return form }
        let form = UnitForm(try UnitParser.factors(of: string))
        if string.utf8.count <= 64 {
            cache.withLock { if $0.count < 1024 { $0[string] = form } }
        }
        return form
    }

    /// The same for strings of our own tables; nil would be a mistake in a table, and a test reads them all.
    static func cached(_ string: String) -> UnitForm? {
        do { return try parsed(string) } catch { return nil }
    }

    /// The form that a unit string of any program means: HealthKit's grammar, else a spelling that `UnitSpelling`
    /// translates. The error is that of HealthKit's grammar, or names the two meanings that a string has.
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
