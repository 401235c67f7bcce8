import Foundation
func load(_ p:String)->[Int64]{ let d=try! Data(contentsOf:URL(fileURLWithPath:p)); return d.withUnsafeBytes{Array($0.bindMemory(to:Int64.self))} }
var total=0.0
for nm in ["lon","lat","ele","speed","course","hacc","vacc"] {
  var best=1e9
  for k in ["p","d2"] {
    let v=load("/tmp/q3/r_\(nm)_\(k).bin"); let n=v.count
    var e=AdaptiveEncoder(); var out=[UInt8](repeating:0,count:AdaptiveEncoder.bound(n)+64)
    let b=e.encode(v,n,into:&out,at:0)
    best=min(best,Double(b)/Double(n))
    var back=[Int64](repeating:0,count:n+64)
    var r=ByteReader(out,at:0,end:b)
    let t0=DispatchTime.now().uptimeNanoseconds
    for _ in 0..<20 { r=ByteReader(out,at:0,end:b); try! AdaptiveDecoder.decode(out,&r,n,into:&back) }
    let t1=DispatchTime.now().uptimeNanoseconds
    precondition(Array(back.prefix(n))==v && r.offset==b)
    print(nm,k,Double(b)/Double(n), Double(t1-t0)/20/Double(n),"ns")
  }
  total+=best
}
print(total)
// hostile and random
var g=SystemRandomNumberGenerator()
for round in 0..<3000 { let n=Int.random(in:0...300); let sh=UInt64.random(in:0..<64)
 let v=(0..<n).map{_ in Int.random(in:0..<20)==0 ? Int64(bitPattern:g.next()) : Int64(bitPattern:g.next())>>Int64(sh)} + (round%7==0 ? [Int64.min,.max,0,-1]:[])
 var e=AdaptiveEncoder(); var out=[UInt8](repeating:0,count:AdaptiveEncoder.bound(v.count)+64)
 let b=e.encode(v,v.count,into:&out,at:0); var back=[Int64](repeating:0,count:v.count+64); var r=ByteReader(out,at:0,end:b)
 try! AdaptiveDecoder.decode(out,&r,v.count,into:&back); precondition(Array(back.prefix(v.count))==v && r.offset==b)
 var bad=out; bad[Int.random(in:0..<b)]=UInt8.random(in:0...255); r=ByteReader(bad,at:0,end:b); try? AdaptiveDecoder.decode(bad,&r,v.count,into:&back)
 let junk=(0..<200).map{_ in UInt8.random(in:0...255)}; r=ByteReader(junk,at:0,end:136); try? AdaptiveDecoder.decode(junk,&r,50,into:&back)
}
print("ok")
