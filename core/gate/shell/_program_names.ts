/** Programs that destroy, change who may do what, reach other computers, or start anything. */
export const HIGH_PROGRAMS: ReadonlySet<string> = words(
  "rm mkfs dd shutdown reboot halt poweroff sudo su chown chmod useradd userdel usermod passwd mount umount " +
    "iptables ufw firewall-cmd curl wget nc ncat netcat scp ssh ftp telnet " +
    "del rmdir format reg net runas icacls takeown powershell pwsh wmic sc netsh erase rd cscript wscript " +
    "mshta rundll32 regsvr32 certutil bitsadmin schtasks attrib diskpart bcdedit vssadmin " +
    "doas pkexec runuser chgrp chattr setfacl setcap groupadd groupdel adduser deluser addgroup chsh chfn " +
    "visudo vipw shred wipe srm wipefs unlink fdisk sfdisk parted gdisk mkswap swapon swapoff losetup " +
    "cryptsetup lvremove vgremove pvremove zfs zpool btrfs fstrim blkdiscard " +
    "init telinit systemctl service launchctl rc-service insmod rmmod modprobe sysctl kexec grub-install " +
    "nft ip ifconfig route arp tc socat sftp rsh rlogin rexec mosh tftp lftp aria2c httpie http xh " +
    "mail mailx sendmail msmtp crontab at batch atd screen tmux zellij " +
    "apt apt-get aptitude dpkg dnf yum rpm pacman yay zypper apk snap flatpak emerge port installer softwareupdate " +
    "vi vim nvim view ex ed emacs nano pico joe micro hx helix code subl open xdg-open gnome-open start " +
    "gdbserver dbus-send gsettings defaults tccutil csrutil spctl diskutil hdiutil " +
    "aws gcloud az terraform pulumi helm ansible ansible-playbook vagrant virsh lxc " +
    "gh glab heroku flyctl vercel netlify wrangler firebase fly",
);

/** Programs that start another one in a way that is not followed here. */
export const OPAQUE_LAUNCHERS: ReadonlySet<string> = words(
  "chroot unshare nsenter systemd-run systemd-inhibit firejail bwrap proot fakeroot fakechroot eatmydata strace " +
    "ltrace dtrace dtruss gdb lldb rr valgrind perf parallel entr watchexec nodemon chokidar concurrently expect " +
    "script flock setarch linux32 linux64 i386 x86_64 chpst setuidgid envuidgid softlimit runcon setpriv capsh " +
    "unbuffer rlwrap daemonize daemon start-stop-daemon nix-shell nix direnv xvfb-run dbus-run-session dbus-launch " +
    "ssh-agent sg newgrp faketime prlimit numactl catchsegv sem env_parallel dotenv foreman honcho pm2 " +
    "forever supervisord runit runsv s6-setuidgid tini dumb-init catatonit caffeinate cgexec torsocks torify " +
    "proxychains proxychains4 zsh ksh mksh yash fish csh tcsh rc es elvish nu xonsh just " +
    "setlock fghack pgrphack argv0 hyperfine ld.so ld-linux.so.2 ld-linux-x86-64.so.2",
);

/** Programs that change files, and repositories of programs. */
export const MEDIUM_PROGRAMS: ReadonlySet<string> = words(
  "touch mkdir mv cp ln copy xcopy robocopy move ren rename mklink install mkfifo mknod mktemp truncate patch split csplit " +
    "kill killall pkill xkill skill renice tee gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress " +
    "unzip 7z 7za 7zr unrar rar cpio ar pax shar openssl gpg gpg2 ssh-keygen ssh-add ldd ldconfig stty reset setterm " +
    "bc dc psql mysql mariadb mongo mongosh redis-cli gem composer bundle poetry pipenv conda mamba uv brew rustup " +
    "nvm fnm volta asdf mise sdk ping ping6 traceroute dig nslookup host whois ss netstat lsof dmesg journalctl " +
    "source . md5deep mkisofs dos2unix unix2dos iconv sponge prettier eslint black ruff gofmt rustfmt",
);

/** Programs that only read, count, compare, format or wait, whatever their options. */
export const HARMLESS_PROGRAMS: ReadonlySet<string> = words(
  "ls dir vdir cat grep egrep fgrep zgrep echo pwd wc head tail df du uname uptime free " +
    "cd pushd popd dirs true false : sleep exit return break continue shift times type which whereis " +
    "basename dirname realpath readlink stat id whoami who w users groups logname tty nproc arch getconf locale " +
    "diff cmp comm join paste cut tr tac rev nl pr fmt fold expand unexpand column tsort seq factor expr numfmt " +
    "od hexdump base64 base32 sum cksum md5sum sha1sum sha224sum sha256sum sha384sum " +
    "sha512sum b2sum shasum zcat gzcat bzcat xzcat zstdcat look cal ps pgrep pstree vmstat iostat lscpu lsblk lsusb " +
    "lspci lsmod jq printenv getent tput clear exa eza lsd pathchk " +
    "sw_vers ver where findstr",
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
