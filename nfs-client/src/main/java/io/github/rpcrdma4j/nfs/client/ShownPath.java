package io.github.rpcrdma4j.nfs.client;

import io.github.rpcrdma4j.nfs.client.local.LocalPath;

/**
 * What a user is shown of a file in a tree: the path that the user gave, and the names below it in
 * a form that harms no terminal.
 *
 * @param top as the user gave it
 * @param depth how many names of a {@link LocalPath} lead to it
 */
record ShownPath(String top, int depth) {
    String of(LocalPath file) {
        var shown = new StringBuilder(top);
        for (var name : file.names().subList(depth, file.depth())) {
            if (!shown.isEmpty() && shown.charAt(shown.length() - 1) != '/') {
                shown.append('/');
            }
            shown.append(name.escaped());
        }
        return shown.toString();
    }
}
