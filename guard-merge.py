import sys,re
for p in sys.argv[1:]:
    s=open(p).read()
    def pick(m):
        a,b=m.group(1),m.group(2)
        la,lb=a.splitlines(),b.splitlines()
        out=list(la)
        for l in lb:
            if l not in out: out.append(l)
        return "\n".join(out)+"\n"
    s=re.sub(r"<<<<<<< [^\n]*\n(.*?)=======\n(.*?)>>>>>>> [^\n]*\n",pick,s,flags=re.S)
    open(p,'w').write(s)
