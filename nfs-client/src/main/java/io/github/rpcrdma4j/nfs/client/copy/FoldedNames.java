package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds names that a file system may take for one name: file systems exist that ignore the case of
 * letters, normalize Unicode, or drop dots and spaces at the end of a name. Each pair found is a
 * suspicion, which the file system itself has to confirm. Pure functions.
 */
final class FoldedNames {
    private static final String DROPPED_AT_END = ". ";

    private FoldedNames() {}

    /** Returns a text that is equal for all names that a file system may take for one. */
    static String key(FileName name) {
        var text = text(name.bytes());
        if (!text.chars().allMatch(each -> each < 0x80)) {
            text = decomposed(decomposed(text).toUpperCase(Locale.ROOT));
        }
        text = text.toLowerCase(Locale.ROOT);
        int end = text.length();
        while (end > 1 && DROPPED_AT_END.indexOf(text.charAt(end - 1)) >= 0) {
            end--;
        }
        return text.substring(0, end);
    }

    private static String decomposed(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKD);
    }

    private static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException _) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * Returns the groups of names, of two or more each, that a directory may take for one name. The
     * order within a group is always the same: names that the directory lists come first.
     *
     * @param listed the names in the directory, as it spells them
     */
    static List<List<FileName>> groups(Collection<FileName> names, Set<FileName> listed) {
        var groups = new TreeMap<String, List<FileName>>();
        names.forEach(each -> groups.computeIfAbsent(key(each), _ -> new ArrayList<>(1)).add(each));
        groups.values().removeIf(each -> each.size() < 2);
        for (var group : groups.values()) {
            group.sort(
                    (one, other) -> {
                        int byListing =
                                Boolean.compare(listed.contains(other), listed.contains(one));
                        return byListing != 0
                                ? byListing
                                : Arrays.compareUnsigned(one.bytes(), other.bytes());
                    });
        }
        return List.copyOf(groups.values());
    }

    /**
     * Returns the names in a directory under which it may list a file of another spelling.
     *
     * @param names of files that are copied to the directory
     * @param listed the names in it, as it spells them
     * @return for each of the names that is not listed, the listed ones that may stand for it; only
     *     where there are any
     */
    static Map<FileName, List<FileName>> spellings(
            Collection<FileName> names, Set<FileName> listed) {
        var others = new HashMap<String, List<FileName>>();
        var copied = Set.copyOf(names);
        for (var each : listed) {
            if (!copied.contains(each)) {
                others.computeIfAbsent(key(each), _ -> new ArrayList<>(1)).add(each);
            }
        }
        var spellings = new HashMap<FileName, List<FileName>>();
        if (!others.isEmpty()) {
            for (var each : names) {
                var found = listed.contains(each) ? null : others.get(key(each));
                if (found != null) {
                    spellings.put(each, found);
                }
            }
        }
        return spellings;
    }
}
