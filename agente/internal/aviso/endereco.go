package aviso

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"syscall"
)

// errPrivado: a connection to an address that is not of the public Internet.
var errPrivado = errors.New("the address is not public")

func faixas(cidrs ...string) []netip.Prefix {
	fs := make([]netip.Prefix, len(cidrs))
	for i, s := range cidrs {
		fs[i] = netip.MustParsePrefix(s)
	}
	return fs
}

var (
	// foraV4 is what IPv4 has that is no public unicast address (RFC 6890 and the
	// IANA registry of special-purpose addresses).
	foraV4 = faixas(
		"0.0.0.0/8",       // this network
		"10.0.0.0/8",      // private
		"100.64.0.0/10",   // behind a carrier's NAT
		"127.0.0.0/8",     // loopback
		"169.254.0.0/16",  // link-local, metadata of clouds
		"172.16.0.0/12",   // private
		"192.0.0.0/24",    // protocol assignments
		"192.0.2.0/24",    // documentation
		"192.88.99.0/24",  // relays of 6to4
		"192.168.0.0/16",  // private
		"198.18.0.0/15",   // benchmarks
		"198.51.100.0/24", // documentation
		"203.0.113.0/24",  // documentation
		"224.0.0.0/4",     // multicast
		"240.0.0.0/4",     // reserved, broadcast
	)
	// globalV6 is all that IPv6 has of global unicast; the rest is loopback,
	// unspecified, link-local, unique local, multicast, local NAT64, IPv4 in
	// forms given up long ago, or nothing yet.
	globalV6 = netip.MustParsePrefix("2000::/3")
	// foraV6 is what of it is not public.
	foraV6 = faixas(
		"2001::/23",     // protocol assignments: Teredo, ORCHID, benchmarks
		"2001:db8::/32", // documentation
		"2002::/16",     // 6to4: any IPv4 address, by a relay
		"3fff::/20",     // documentation
	)
	// nat64 stands for the IPv4 address in its last four bytes, also a public one:
	// networks that have IPv6 alone reach all others so (RFC 6052).
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

// publico reports whether an address is a public unicast one, itself and in what
// it embeds.
func publico(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	dentro := func(p netip.Prefix) bool { return p.Contains(a) }
	switch {
	case !a.IsValid():
		return false
	case a.Is4():
		return !slices.ContainsFunc(foraV4, dentro)
	case dentro(nat64):
		b := a.As16()
		return publico(netip.AddrFrom4([4]byte(b[12:])))
	}
	return dentro(globalV6) && !slices.ContainsFunc(foraV6, dentro)
}

// soPublicos refuses a connection to what is not public. It is asked after the
// name was resolved, for each address, so a name that resolves to something else
// than a moment ago is refused too.
func soPublicos(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !publico(ap.Addr()) {
		return errPrivado
	}
	return nil
}
