"""draft"""
import hashlib, json, sys
from pathlib import Path
from collections import Counter
from hopyard.indexes.records import Passage
from hopyard.nodes.support.compare import compare
PAIRS = Path(__file__).with_name("support_pairs.jsonl")
def half(i): return 'choose' if int(hashlib.sha256(i.encode()).hexdigest(),16)%2==0 else 'report'
def passage(n,p):
    return Passage(f"p{n}",p["title"],n,p["title"],p["text"],"",0,section=p.get("section",""))
which=sys.argv[1]
tot=Counter(); show='-v' in sys.argv
for line in PAIRS.read_text().splitlines():
    g=json.loads(line)
    if which!='all' and half(g['id'])!=which: continue
    ps=[passage(n,p) for n,p in enumerate(g['passages'])]
    for label in('right','wrong'):
        for n,s in enumerate(g[label]):
            v=compare(s['statement'],ps,asked=s.get('question',''))
            ok=v.supported==(label=='right')
            tot[label,ok]+=1
            if not ok and show: print(label,g['id'],s['type'],'|',s['statement'],'|',v.reason)
print(tot)
