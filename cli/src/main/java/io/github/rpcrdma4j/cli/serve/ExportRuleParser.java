package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.terminal.Suggestions;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Squash;
import io.github.rpcrdma4j.nfs.server.export.FileSystemLocation;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Set;

/**
 * Parses the rights of hosts to an export.
 *
 * <pre>
 *   NETWORK[,ro|rw][,root_squash|no_root_squash|all_squash][,anonuid=N][,anongid=N]
 *           [,secure|insecure][,sync|async][,crossmnt|nocrossmnt]
 *           [,refer=/PATH@HOST[+HOST...][:/PATH@HOST...]]
 * </pre>
 *
 * <p>Everything is as in exports(5), except that neither {@code secure} nor {@code insecure} is the
 * default, but {@link Ports#OWN_USER}: ordinary users run our client, and Linux's client over RDMA
 * also calls from unprivileged ports.
 *
 * <p>Tests: {@code ExportOptionsTest}.
 *
 * @param option what the user calls the place of the text
 * @param readOnly whether no rule allows changes
 * @param hosts those of the rules that are read together
 */
record ExportRuleParser(String option, boolean readOnly, RuleHosts hosts) {
    /** The words of exports(5), for suggestions. */
    private static final List<String> WORDS =
            List.of(
                    "rw",
                    "ro",
                    "root_squash",
                    "no_root_squash",
                    "all_squash",
                    "anonuid=",
                    "anongid=",
                    "secure",
                    "insecure",
                    "sync",
                    "async",
                    "crossmnt",
                    "nocrossmnt",
                    "refer=");

    /** The words that exclude each other. In exports(5) the last one would count. */
    private static final List<Set<String>> CHOICES =
            List.of(
                    Set.of("rw", "ro"),
                    Set.of("root_squash", "no_root_squash", "all_squash"),
                    Set.of("secure", "insecure"),
                    Set.of("sync", "async"),
                    Set.of("crossmnt", "nocrossmnt"));

    /**
     * Returns the rule of a text.
     *
     * @throws UnknownHostException if a host name has no address
     * @throws IllegalArgumentException if the text is malformed; the message tells what
     */
    ExportRule rule(String text) throws UnknownHostException {
        var words = text.split(",", -1);
        var rule = ExportRule.of(hosts.of(words[0])).withReadOnly(readOnly);
        var chosen = new HashMap<Object, String>();
        for (var word : List.of(words).subList(1, words.length)) {
            rule = with(rule, word, text);
            var other = chosen.put(subject(word), word);
            if (other != null && !other.equals(word)) {
                throw new IllegalArgumentException(
                        "%s has both %s and %s, where one can be: %s"
                                .formatted(option, other, word, text));
            }
        }
        return rule;
    }

    private ExportRule with(ExportRule rule, String word, String text) {
        return switch (word) {
            case "rw" -> rule.withReadOnly(readOnly);
            case "ro" -> rule.withReadOnly(true);
            case "root_squash" -> rule.withSquash(Squash.ROOT);
            case "no_root_squash" -> rule.withSquash(Squash.NONE);
            case "all_squash" -> rule.withSquash(Squash.ALL);
            case "secure" -> rule.withPorts(Ports.PRIVILEGED);
            case "insecure" -> rule.withPorts(Ports.ANY);
            case "sync" -> rule.withSync(true);
            case "async" -> rule.withSync(false);
            case "crossmnt" -> rule.withCrossMounts(true);
            case "nocrossmnt" -> rule.withCrossMounts(false);
            case String user when user.startsWith("anonuid=") ->
                    rule.withAnonymous(id(user, text), rule.anonymousGid());
            case String group when group.startsWith("anongid=") ->
                    rule.withAnonymous(rule.anonymousUid(), id(group, text));
            case String refer when refer.startsWith("refer=") ->
                    rule.withMoved(locations(refer.substring(refer.indexOf('=') + 1), text));
            default ->
                    throw new IllegalArgumentException(
                            option + " has no option " + word + ": " + text + meant(word));
        };
    }

    /** Returns what a known option is about: of the options about one thing, one can be chosen. */
    private static Object subject(String word) {
        for (var each : CHOICES) {
            if (each.contains(word)) {
                return each;
            }
        }
        return word.substring(0, word.indexOf('='));
    }

    private static String meant(String word) {
        return Suggestions.meant(Suggestions.near(word, WORDS));
    }

    /** Each location begins with a slash, so colons in addresses of IPv6 separate nothing. */
    private List<FileSystemLocation> locations(String words, String text) {
        var locations = new ArrayList<FileSystemLocation>();
        for (var word : words.split(":(?=/)")) {
            int at = word.lastIndexOf('@');
            if (at <= 0) {
                throw new IllegalArgumentException(
                        option + " has no /PATH@HOST in refer=" + words + ": " + text);
            }
            try {
                var servers = List.of(word.substring(at + 1).split("\\+", -1));
                var path = PathName.of(word.substring(0, at));
                locations.add(new FileSystemLocation(servers, path));
            } catch (IllegalArgumentException invalid) {
                throw new IllegalArgumentException(
                        option + ": " + invalid.getMessage() + ": " + text, invalid);
            }
        }
        return locations;
    }

    private int id(String word, String text) {
        int id;
        try {
            id = Integer.parseUnsignedInt(word.substring(word.indexOf('=') + 1));
        } catch (NumberFormatException _) {
            throw new IllegalArgumentException(option + " has no number in " + word + ": " + text);
        }
        if (id == -1) {
            throw new IllegalArgumentException(
                    option + " has an id that no user and no group has in " + word + ": " + text);
        }
        return id;
    }
}
