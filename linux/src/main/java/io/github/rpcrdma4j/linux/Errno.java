package io.github.rpcrdma4j.linux;

/** Error numbers of Linux. System calls return them as negative results. */
public final class Errno {
    public static final int PERM = 1;
    public static final int NOENT = 2;
    public static final int INTR = 4;
    public static final int IO = 5;
    public static final int NXIO = 6;
    public static final int TOO_BIG = 7;
    public static final int BADF = 9;
    public static final int AGAIN = 11;
    public static final int NOMEM = 12;
    public static final int ACCES = 13;
    public static final int BUSY = 16;
    public static final int EXIST = 17;
    public static final int XDEV = 18;
    public static final int NODEV = 19;
    public static final int NOTDIR = 20;
    public static final int ISDIR = 21;
    public static final int INVAL = 22;
    public static final int NFILE = 23;
    public static final int MFILE = 24;
    public static final int NOTTY = 25;
    public static final int TXTBSY = 26;
    public static final int FBIG = 27;
    public static final int NOSPC = 28;
    public static final int ROFS = 30;
    public static final int MLINK = 31;
    public static final int RANGE = 34;
    public static final int NAMETOOLONG = 36;
    public static final int NOLCK = 37;
    public static final int NOSYS = 38;
    public static final int NOTEMPTY = 39;
    public static final int LOOP = 40;
    public static final int NODATA = 61;
    public static final int BADMSG = 74;
    public static final int OVERFLOW = 75;
    public static final int ILSEQ = 84;
    public static final int OPNOTSUPP = 95;
    public static final int STALE = 116;
    public static final int UCLEAN = 117;
    public static final int DQUOT = 122;

    private Errno() {}
}
