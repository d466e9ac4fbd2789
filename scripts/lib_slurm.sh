# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/check-cluster: a Slurm on this machine only, as root, without systemd and control groups, with its own
# ports and sockets.

# start_slurm DIR: starts Slurm with two simulated GPUs (each is a /dev/null) and four slots.
start_slurm() {
  local dir=$1 host i
  host=$(hostname -s)
  mkdir -p "$dir"/{etc,state,spool,log,run,munge,dev} && chmod 755 "$dir" "$dir/run" && chmod 700 "$dir/munge"
  head -c 1024 /dev/urandom >"$dir/munge/key" && chmod 400 "$dir/munge/key"
  munged --force --key-file="$dir/munge/key" --socket="$dir/run/munge.sock" --pid-file="$dir/run/munged.pid" \
    --log-file="$dir/log/munged.log" --seed-file="$dir/munge/seed" || return
  for i in 0 1; do
    [[ -e $dir/dev/nvidia$i ]] || mknod "$dir/dev/nvidia$i" c 1 3 || return # a gres must be a character device
  done
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$dir/etc/cgroup.conf"
  printf 'AutoDetect=off\nNodeName=%s Name=gpu Type=fake File=%s/dev/nvidia[0-1]\n' "$host" "$dir" >"$dir/etc/gres.conf"
  slurm_conf "$dir" "$host" >"$dir/etc/slurm.conf"
  export SLURM_CONF=$dir/etc/slurm.conf
  slurmctld -c && slurmd -N "$host" || return
  for ((i = 0; i < 100; ++i)); do
    [[ $(sinfo -h -o %T 2>/dev/null) != idle ]] || return 0
    sleep 0.2
  done
  return 1
}

slurm_conf() {
  cat <<END
ClusterName=sptrsv
SlurmctldHost=$2(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$1/run/munge.sock
CredType=cred/munge
MpiDefault=pmix
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdParameters=config_overrides
SlurmctldPort=26817
SlurmdPort=26818
SlurmctldPidFile=$1/run/slurmctld.pid
SlurmdPidFile=$1/run/slurmd.pid
SlurmdSpoolDir=$1/spool
StateSaveLocation=$1/state
SlurmctldLogFile=$1/log/slurmctld.log
SlurmdLogFile=$1/log/slurmd.log
GresTypes=gpu
PropagateResourceLimits=NONE
MailProg=/bin/true
NodeName=$2 NodeAddr=127.0.0.1 CPUs=4 CoresPerSocket=4 RealMemory=1000 Gres=gpu:fake:2 State=UNKNOWN
PartitionName=all Nodes=$2 Default=YES MaxTime=00:10:00 OverSubscribe=NO State=UP
END
}

# stop_slurm DIR: stops the daemons in DIR, and their jobs.
stop_slurm() {
  local name pid i
  for name in slurmd slurmctld munged; do
    pid=$(cat "$1/run/$name.pid" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null || continue
    for ((i = 0; i < 50; ++i)); do # slurmctld writes its state at the end
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  done
}
