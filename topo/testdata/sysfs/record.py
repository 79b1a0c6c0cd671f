# Usage: record.py ROOT: writes what ReadSysfs may read of a tree: "NAME" + text lines, or "NAME -> TARGET".
import os, sys, re
root = sys.argv[1]
FILES_NET = "operstate speed ifindex iflink dev_port type mtu duplex bonding/slaves bonding/mode".split()
FILES_PCI = "numa_node current_link_speed current_link_width vendor device class".split()
done = set()
def text(name):
    if name in done: return
    done.add(name)
    try: t = open(os.path.join(root, name)).read().rstrip("\n")
    except OSError as e:
        return # as Linux has it: it cannot be read
    print(f"{name}: {t}" if "\n" not in t else f"{name}: {t.splitlines()[0]}")
def link(name):
    if name in done: return
    done.add(name)
    print(f"{name} -> {os.readlink(os.path.join(root, name))}")
def parents(place):
    at = os.path.dirname(place)
    while at and at != "devices":
        b = os.path.basename(at)
        if re.match(r"^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$", b):
            for f in FILES_PCI: text(at + "/" + f)
            if os.path.islink(os.path.join(root, at, "physfn")): link(at + "/physfn")
        at = os.path.dirname(at)
for f in "online possible present".split(): text("devices/system/cpu/" + f)
nodes = "devices/system/node"
if os.path.isdir(os.path.join(root, nodes)):
    for n in sorted(os.listdir(os.path.join(root, nodes))):
        if re.match("^node[0-9]+$", n):
            text(f"{nodes}/{n}/cpulist"); text(f"{nodes}/{n}/distance")
        elif n in ("online", "possible", "has_cpu"): text(f"{nodes}/{n}")
for cls in ("net", "infiniband"):
    d = os.path.join(root, "class", cls)
    if not os.path.isdir(d): continue
    for n in sorted(os.listdir(d)):
        if not os.path.islink(os.path.join(d, n)):
            text(f"class/{cls}/{n}")
            continue
        link(f"class/{cls}/{n}")
        place = os.path.relpath(os.path.realpath(os.path.join(d, n)), os.path.realpath(root))
        if cls == "net":
            for f in FILES_NET: text(f"{place}/{f}")
            for f in ("device", "master"):
                if os.path.islink(os.path.join(root, place, f)): link(f"{place}/{f}")
        else:
            text(f"{place}/node_type"); text(f"{place}/parent")
            for p in sorted(os.listdir(os.path.join(root, place, "ports"))):
                for f in "state phys_state rate link_layer gid_attrs/ndevs/0".split(): text(f"{place}/ports/{p}/{f}")
        parents(place)
