// SPDX-License-Identifier: BSD-3-Clause

// What goresctrl's sst package asks of a server, in the same way: files of sysfs, requests to the driver, a register.
// It has system calls of its own, with and without the C library (`import "C"`, which launched.sh adds).
package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"os"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

const (
	platformInfo = 0x8008fe00
	mailbox      = 0xc008fe03
	perfLevels   = 0xc008fe09

	cpus = "/sys/devices/system/cpu/"
)

type info struct {
	API, Driver, MaxCommands uint16
	Mailbox, MMIO            uint8
}

type mailboxCommand struct {
	Count, CPU, Parameter, Data, Answer uint32
	Command, SubCommand                 uint16
	_                                   uint32
}

type levels struct {
	Socket, Domain, MaxLevel, Revision, Mask, Current, Features, Locked, Enabled, TurboFreq, BaseFreq uint8
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func read(path string) string {
	text, err := os.ReadFile(path)
	check(err)
	return strings.TrimSpace(string(text))
}

func request(device *os.File, code uintptr, argument unsafe.Pointer) syscall.Errno {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, device.Fd(), code, uintptr(argument))
	return errno
}

func main() {
	log.SetFlags(0)
	fmt.Println("CPUs", runtime.NumCPU(), "online", read(cpus+"online"), "release", read("/proc/sys/kernel/osrelease"))
	fmt.Println("siblings", read(cpus+"cpu1/topology/thread_siblings_list"), "base", read(cpus+"cpu1/cpufreq/base_frequency"))

	device, err := os.OpenFile("/dev/isst_interface", os.O_RDWR, 0)
	check(err)
	defer device.Close()
	var about info
	if errno := request(device, platformInfo, unsafe.Pointer(&about)); errno != 0 {
		log.Fatal(errno)
	}
	fmt.Println("API", about.API, "mailbox", about.Mailbox, "MMIO", about.MMIO)
	if about.API < 2 {
		command := mailboxCommand{Count: 1, CPU: 1, Command: 0x7f}
		fmt.Println("without an argument:", request(device, mailbox, nil))
		fmt.Println("0x7f/00:", request(device, mailbox, unsafe.Pointer(&command)))
		fmt.Printf("%#x\n", command.Answer)
	} else {
		level := levels{}
		fmt.Println("without an argument:", request(device, perfLevels, nil))
		fmt.Println("levels:", request(device, perfLevels, unsafe.Pointer(&level)))
		fmt.Println(level.MaxLevel, "mask", level.Mask, "current", level.Current)
	}

	limit := cpus + "cpu1/cpufreq/scaling_max_freq"
	check(os.WriteFile(limit, []byte("1500000\n"), 0))
	fmt.Println("limit", read(limit), "wrong", os.WriteFile(limit, []byte("fast"), 0))
	register, err := os.Open("/dev/cpu/1/msr")
	check(err)
	word := make([]byte, 8)
	_, err = register.ReadAt(word, 0x1ad)
	fmt.Printf("MSR 0x1ad %#x %v\n", binary.LittleEndian.Uint64(word), err)
	check(os.WriteFile(cpus+"cpu1/online", []byte("0"), 0))
	_, err = os.Stat(cpus + "cpu1/topology")
	fmt.Println("online", read(cpus+"online"), "topology", os.IsNotExist(err))
}
