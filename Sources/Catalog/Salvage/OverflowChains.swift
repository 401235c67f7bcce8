// SPDX-License-Identifier: Apache-2.0

/// The overflow pages, which hold the rest of long rows. Each page is followed once and each chain belongs to one row,
/// so the cost is proportional to the number of pages, whatever the file contains.
struct OverflowChains {
    /// The chain from a page on, including that page.
    enum Rest: Equatable {
        /// A complete chain: the number of its pages, and its last page.
        case whole(pages: Int, last: UInt32)
        /// A broken chain: the number of sound pages before `blame`, the unreadable page; nil if the chain is a cycle.
        case broken(pages: Int, blame: UInt32?)
    }

    /// The location of a row.
    private struct Owner: Equatable {
        let page: UInt32
        let at: Int
    }

    private var rests: [UInt32: Rest] = [:]
    /// The owning row, by the last page of its chain: two chains that share a page share their last page.
    private var owners: [UInt32: Owner] = [:]

    /// Follows the chain that starts at a page.
    ///
    /// - Parameter next: returns the page after a page, 0 at the end of a chain, nil if the page is unreadable.
    mutating func rest(from first: UInt32, next: (UInt32) -> UInt32?) -> Rest {
        var walked: [UInt32] = []
        var isWalked: Set<UInt32> = []
        var page = first
        var rest: Rest?
        while rest == nil {
            if let known = rests[page] {
                rest = known
            } else if isWalked.contains(page) {
                rest = .broken(pages: 0, blame: nil)
            } else if let behind = next(page) {
                walked.append(page)
                isWalked.insert(page)
                if behind == 0 { rest = .whole(pages: 0, last: page) }
                page = behind
            } else {
                rest = .broken(pages: 0, blame: page)
            }
        }
        var found = rest ?? .broken(pages: 0, blame: nil)
        for page in walked.reversed() {
            switch found {
            case .whole(let pages, let last): found = .whole(pages: pages + 1, last: last)
            case .broken(let pages, let blame): found = .broken(pages: pages + 1, blame: blame)
            }
            rests[page] = found
        }
        return found
    }

    /// Whether this row is the first to claim the chain that ends at `last`.
    mutating func claim(_ last: UInt32, by page: UInt32, at place: Int) -> Bool {
        let owner = Owner(page: page, at: place)
        if let known = owners[last] { return known == owner }
        owners[last] = owner
        return true
    }
}

extension PageFile {
    /// Returns the whole record of a cell. If it is unreadable, returns the damaged page if there is one.
    func record(_ cell: TreePage.Cell, of page: TreePage) -> (bytes: [UInt8]?, blame: UInt32?) {
        var bytes = Array(page.bytes[cell.local])
        let most = usable - 4
        let wanted = (cell.payload - bytes.count + most - 1) / most
        if wanted == 0 { return (bytes, nil) }
        let rest = chains.rest(from: cell.overflow) { number in
            number > 1 && number <= count ? self.page(number).map { TreePage.number($0, 0) } : nil
        }
        switch rest {
        case .broken(let pages, let blame): return (nil, pages < wanted ? blame : nil)
        case .whole(let pages, let last):
            guard pages == wanted, chains.claim(last, by: page.number, at: cell.local.lowerBound) else {
                return (nil, nil)
            }
        }
        bytes.reserveCapacity(cell.payload)
        var next = cell.overflow
        while bytes.count < cell.payload {
            guard let more = self.page(next) else { return (nil, next) }
            bytes += more[4..<4 + min(cell.payload - bytes.count, most)]
            next = TreePage.number(more, 0)
        }
        return (bytes, nil)
    }
}
